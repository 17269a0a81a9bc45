import type { Integration } from "../../api/v1alpha1/index.ts";
import { NotLeadingError } from "../../kube/outcome.ts";
import type { CallEnd, CallObserver } from "../call-observer.ts";
import { githubFailure } from "./github-failure.ts";
import { type Answered, type GitHubCall, perform, plainRequest } from "./github-request.ts";
import { GitHubTokens, type GitHubTokensDeps } from "./github-tokens.ts";

export interface GitHubApiDeps extends GitHubTokensDeps {
  observer: CallObserver;
  /** @throws NotLeadingError where another replica may call by now */
  assertLeading: () => void;
}

/** Calls GitHub's REST API for an Integration. It repeats nothing but a call with a token that was refused. */
export class GitHubApi {
  readonly #deps: GitHubApiDeps;
  readonly #tokens: GitHubTokens;

  constructor(deps: GitHubApiDeps) {
    this.#deps = deps;
    this.#tokens = new GitHubTokens(deps);
  }

  /** Calls as the App's installation, with a token for this one repository, OWNER/NAME. @throws ProviderError; NotLeadingError before what is no read */
  call<Data>(integration: Integration, repository: string, call: GitHubCall<Data>): Promise<Data> {
    const [owner, repo] = repository.split("/");
    const full = { ...call, parameters: { owner, repo, ...call.parameters } };
    return this.#observed(integration, { operation: call.operation }, async () => {
      try {
        return await this.#callOnce(integration, repository, full);
      } catch (error) {
        if (error instanceof NotLeadingError) throw error;
        const failure = githubFailure(call.operation, error, this.#deps.clock);
        if (failure.failure !== "credentials") throw failure;
        this.#tokens.refused(integration, repository);
        return this.#callOnce(integration, repository, full);
      }
    });
  }

  /** Calls as the App itself. @throws ProviderError */
  callAsApp<Data>(integration: Integration, call: GitHubCall<Data>): Promise<Answered<Data>> {
    const needsLess = !call.provesApp;
    return this.#observed(integration, { operation: call.operation, needsLess }, () =>
      this.#tokens.asApp(integration, call),
    );
  }

  async #callOnce<Data>(integration: Integration, repository: string, call: GitHubCall<Data>): Promise<Data> {
    const token = await this.#tokens.of(integration, repository);
    if (!call.route.startsWith("GET ")) this.#deps.assertLeading();
    const request = plainRequest(this.#deps).defaults({ headers: { authorization: `token ${token}` } });
    return (await perform(request, call)).data;
  }

  async #observed<Data>(
    integration: Integration,
    call: Pick<CallEnd, "operation" | "needsLess">,
    work: () => Promise<Data>,
  ): Promise<Data> {
    const { observer, clock } = this.#deps;
    try {
      const data = await work();
      observer.called(integration, call);
      return data;
    } catch (error) {
      if (error instanceof NotLeadingError) throw error;
      const failure = githubFailure(call.operation, error, clock);
      observer.called(integration, { ...call, error: failure });
      throw failure;
    }
  }
}
