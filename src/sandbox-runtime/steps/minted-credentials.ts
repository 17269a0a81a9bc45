import type { ChildAnswer } from "../../api/runtime/children.ts";
import { type CredentialWanted, MintedCredential } from "../../api/runtime/git-credentials.ts";
import type { Clock } from "../../lib/clock.ts";
import type { CredentialAnswer } from "../local/messages.ts";

interface Deps {
  clock: Pick<Clock, "monotonicMs">;
  /** Asks the gateway. */
  ask: (wanted: CredentialWanted) => Promise<ChildAnswer>;
  /** Told of each password before anybody else is. */
  learned: (password: string) => void;
}

interface Known {
  answer: CredentialAnswer;
  untilMs: number;
}

/** Begins the problem of what another try may bring. */
export const notNow = "the credential cannot be had right now";

/** Credentials that the gateway mints, each kept until shortly before it expires and asked for once at a time. */
export class MintedCredentials {
  readonly #deps: Deps;
  readonly #known = new Map<string, Known>();
  readonly #underWay = new Map<string, Promise<CredentialAnswer>>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The credential of a repository by its name, or the problem in words. */
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
    this.#deps.learned(password);
    const answer = { username, password };
    this.#known.set(repository, { answer, untilMs: askedMs + usableSeconds * 1_000 });
    return answer;
  }
}

function problemOf(status: number, body: ChildAnswer["body"]): string {
  const words = typeof body.error === "string" ? body.error : `the gateway answered ${status}`;
  return status === 422 || status === 404 ? words : `${notNow}: ${words}`;
}
