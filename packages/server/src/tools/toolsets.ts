import { definition } from './code/definition.js';
import { diagnostics } from './code/diagnostics.js';
import { editSymbol } from './code/edit-symbol.js';
import { findSymbol } from './code/find-symbol.js';
import { outline } from './code/outline.js';
import { references } from './code/references.js';
import { renameSymbol } from './code/rename-symbol.js';
import { symbolRelations } from './code/symbol-relations.js';
import type { Tool } from './framework/define-tool.js';
import { copyFile } from './files/copy-file.js';
import { createDirectory } from './files/create-directory.js';
import { deleteFile } from './files/delete-file.js';
import { directoryTree } from './files/directory-tree.js';
import { editFile } from './files/edit-file.js';
import { getFileInfo } from './files/get-file-info.js';
import { listAllowedDirectories } from './files/list-allowed-directories.js';
import { listDirectoryWithSizes } from './files/list-directory-with-sizes.js';
import { listDirectory } from './files/list-directory.js';
import { moveFile } from './files/move-file.js';
import { readFile } from './files/read-file.js';
import { readMediaFile } from './files/read-media-file.js';
import { readMultipleFiles } from './files/read-multiple-files.js';
import { readTextFile } from './files/read-text-file.js';
import { searchContent } from './files/search-content.js';
import { searchFiles } from './files/search-files.js';
import { writeFile } from './files/write-file.js';
import { changeHistory } from './history/change-history.js';
import { undoChanges } from './history/undo-changes.js';
import { categoryContent } from './guidance/category-content.js';
import { categoryList } from './guidance/category-list.js';
import { listProjects } from './guidance/list-projects.js';
import { switchProject } from './workspace/switch-project.js';
import { workspaceInfo } from './workspace/workspace-info.js';
import type { ToolsetName } from '../settings/values/option-values.js';

/** Curated: a tool that is not listed here is not served. */
export const toolsets: Readonly<Record<ToolsetName, readonly Tool[]>> = {
  workspace: [workspaceInfo, switchProject],
  files: [
    readTextFile,
    readFile,
    readMediaFile,
    readMultipleFiles,
    writeFile,
    editFile,
    createDirectory,
    listDirectory,
    listDirectoryWithSizes,
    directoryTree,
    moveFile,
    searchFiles,
    getFileInfo,
    listAllowedDirectories,
    searchContent,
    copyFile,
    deleteFile,
    changeHistory,
    undoChanges,
  ],
  code: [findSymbol, definition, references, symbolRelations, outline, diagnostics, renameSymbol, editSymbol],
  project: [listProjects, categoryList, categoryContent],
  // The executables of the tools project, found at run time.
  exec: [],
};
