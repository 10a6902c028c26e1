import { RootwardError } from '../error.js';
import type { Root, Source } from '../roots/root.js';
import { printable } from '../uri/printable.js';
import { chooseRoot, folderIn } from './choose-root.js';
import { canBeProject, describeProject, type Project, type ProjectChoice } from './project.js';
import { isProjectName } from './project-name.js';

/** The part of a snapshot that decides on the project. */
interface Moment {
  readonly epoch: number;
  readonly roots: readonly Root[];
  readonly trace: readonly { readonly source: Source; readonly verdict: string }[];
}

/** What one connection knows of its project: what was last found, and what someone switched to. */
export class ProjectMemory {
  #known: string | undefined;
  #choice: ProjectChoice | undefined;
  #latest: { readonly moment: Moment; readonly project: Project } | undefined;

  /** What someone switched to. */
  get choice(): ProjectChoice | undefined {
    return this.#choice;
  }

  /** Continues with a choice that was made elsewhere; one that is no longer possible is ignored. */
  restore(kept: { readonly path: string } | { readonly name: string } | undefined, moment: Moment): void {
    this.#latest = undefined;
    this.#choice = undefined;
    if (kept !== undefined && 'name' in kept && isProjectName(kept.name)) {
      this.#choice = { kind: 'name', name: kept.name, epoch: moment.epoch };
    } else if (kept !== undefined && 'path' in kept && folderIn(moment.roots, kept.path) !== undefined) {
      this.#choice = { kind: 'root', path: kept.path };
    }
    this.note(moment);
  }

  /** Records new roots, so that the known project does not depend on who asked for it and when. */
  note(moment: Moment): void {
    this.#known = this.#rootOf(moment)?.path;
  }

  /** Throws for something that cannot be the project; the previous choice stays. */
  choose(choice: { readonly root: Root } | { readonly name: string }, moment: Moment): Project {
    if ('name' in choice && !isProjectName(choice.name)) {
      throw new RootwardError(
        'malformed',
        `Cannot switch to "${printable(choice.name)}": it is not a project name`,
        { instruction: 'Pass the basename of the current working directory' },
      );
    }
    if ('root' in choice && folderIn(moment.roots, choice.root.path) === undefined) {
      const { path } = choice.root;
      throw new RootwardError(
        'outside-roots',
        `Cannot switch to "${printable(path)}": it is no longer in the roots`,
        {
          path,
        },
      );
    }
    if ('root' in choice && !canBeProject(choice.root)) {
      const { path } = choice.root;
      throw new RootwardError('malformed', `Cannot switch to "${printable(path)}": it is a whole disk`, {
        path,
        instruction: 'Pass a folder on it',
      });
    }
    this.#choice =
      'root' in choice
        ? { kind: 'root', path: choice.root.path }
        : { kind: 'name', name: choice.name, epoch: moment.epoch };
    this.#latest = undefined;
    this.note(moment);
    return this.project(moment);
  }

  /** Looks at the disk once per moment; throws when there is no project. */
  project(moment: Moment): Project {
    if (this.#latest?.moment !== moment) {
      this.#latest = { moment, project: describeProject(this.#rootOf(moment), this.#choice) };
    }
    return this.#latest.project;
  }

  #rootOf({ roots, epoch, trace }: Moment): Root | undefined {
    const replaced = trace.filter(({ verdict }) => verdict === 'replaced').map(({ source }) => source);
    return chooseRoot(roots, { known: this.#known, choice: this.#choice, epoch, replaced });
  }
}
