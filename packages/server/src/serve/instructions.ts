/** What a model is told about this server before it calls anything. */
export const INSTRUCTIONS = `Tools for reading, searching, understanding and changing files in the user's workspace.
To find or rename what code declares, use find_symbol, definition, references, outline, diagnostics and rename_symbol: they know more than a text search.
Paths must lie inside the roots of the workspace: absolute, or relative to the first root. Everything else is refused.
When a path is refused or you do not know where you are, call workspace_info: it lists the roots and, given a path, says whether it is in scope and why.
If it says there is no project, call switch_project with the project's name.`;
