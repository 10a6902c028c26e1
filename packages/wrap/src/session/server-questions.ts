import type { Instance } from '../inner/instance.js';
import type { RawMessage } from '../wire/raw-message.js';
import type { Questions } from './outer.js';

interface Asked {
  /** Under which the question was put to the client. */
  readonly outerId: string;
  /** As written; undefined where no progress is wanted. */
  readonly token: string | undefined;
}

/** What servers ask the client in the middle of a call, such as a form or a sample. */
export class ServerQuestions {
  readonly #questions: Questions;
  /** Not answered yet, by the id of the server. */
  readonly #asking = new Map<Instance, Map<string, Asked>>();
  readonly #tokens = new Map<string, Instance>();

  constructor(questions: Questions) {
    this.#questions = questions;
  }

  /** Passes a question on; `related` is the call that it most likely belongs to. */
  put(message: RawMessage, instance: Instance, related: string | undefined): void {
    const innerId = message.id ?? 'null';
    const asking = this.#asking.get(instance) ?? new Map<string, Asked>();
    this.#asking.set(instance, asking);
    const token = message.raw('params', '_meta', 'progressToken');
    if (token !== undefined) this.#tokens.set(token, instance);
    const outerId = this.#questions.put(
      message,
      (answer) => {
        asking.delete(innerId);
        if (token !== undefined) this.#tokens.delete(token);
        instance.send(answer.withId(innerId));
      },
      related,
    );
    asking.set(innerId, { outerId, token });
  }

  /** The server takes a question back. Returns what to tell the client; nothing where it is not asked any more. */
  takeBack(message: RawMessage, instance: Instance): readonly Buffer[] | undefined {
    const innerId = message.raw('params', 'requestId') ?? '';
    const asked = this.#asking.get(instance)?.get(innerId);
    if (asked === undefined) return undefined;
    const { outerId, token } = asked;
    this.#asking.get(instance)?.delete(innerId);
    this.#questions.forget(outerId);
    if (token !== undefined) this.#tokens.delete(token);
    return message.edited(message.set(['params', 'requestId'], outerId));
  }

  /** The server whose question a progress token belongs to, as written. */
  ownerOf(token: string | undefined): Instance | undefined {
    return this.#tokens.get(token ?? '');
  }

  /** A server is gone, and with it whoever wanted to know. */
  withdraw(instance: Instance): void {
    for (const { outerId } of this.#asking.get(instance)?.values() ?? []) {
      this.#questions.withdraw(outerId, 'the server has ended');
    }
    this.#asking.delete(instance);
    for (const [token, owner] of this.#tokens) if (owner === instance) this.#tokens.delete(token);
  }
}
