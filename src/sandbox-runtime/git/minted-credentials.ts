import type { ChildAnswer } from "../../api/runtime/children.ts";
import { type CredentialWanted, MintedCredential } from "../../api/runtime/git-credentials.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CredentialAnswer } from "../local/messages.ts";

interface Deps {
  clock: Pick<Clock, "monotonicMs">;
  /** Asks the gateway. */
  ask: (wanted: CredentialWanted) => Promise<ChildAnswer>;
  /** Gets each password before it is handed out, so that it is redacted from then on. */
  onPassword: (password: string) => void;
}

interface Known {
  answer: CredentialAnswer;
  untilMs: number;
}

/** Begins the message of a failure that another try may not meet. */
export const temporaryProblem = "the credential cannot be fetched right now";

/** Credentials that the gateway mints: each is kept until shortly before it expires, with one request at a time. */
export class MintedCredentials {
  readonly #deps: Deps;
  readonly #known = new Map<string, Known>();
  readonly #underWay = new Map<string, Promise<CredentialAnswer>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The credential of the repository of this name, or the problem for people. */
  async get(repository: string): Promise<CredentialAnswer> {
    const known = this.#known.get(repository);
    if (known && this.#deps.clock.monotonicMs() < known.untilMs) return known.answer;
    const asked =
      this.#underWay.get(repository) ?? this.#mint(repository).finally(() => this.#underWay.delete(repository));
    this.#underWay.set(repository, asked);
    return asked;
  }

  async #mint(repository: string): Promise<CredentialAnswer> {
    const askedMs = this.#deps.clock.monotonicMs();
    const { status, body } = await this.#deps.ask({ repository });
    const minted = MintedCredential.safeParse(body).data;
    if (status !== 200 || !minted) return { problem: problemOf(status, body) };
    const { username, password, usableSeconds } = minted;
    this.#deps.onPassword(password);
    const answer = { username, password };
    this.#known.set(repository, { answer, untilMs: askedMs + usableSeconds * 1_000 });
    return answer;
  }
}

function problemOf(status: number, body: ChildAnswer["body"]): string {
  const words = typeof body.error === "string" ? body.error : `the gateway answered ${status}`;
  return status === 422 || status === 404 ? words : `${temporaryProblem}: ${words}`;
}
