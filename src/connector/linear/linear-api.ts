import type { Integration } from "../../api/v1alpha1/index.ts";
import type { CallObserver } from "../call-observer.ts";
import type { Clock } from "../../lib/clock.ts";
import { type Operation, readOrganization } from "./documents.ts";
import { ProviderError } from "../provider-error.ts";
import { failureOf, post } from "./linear-http.ts";
import type { LinearTokens } from "./tokens.ts";

export interface LinearApiDeps {
  clock: Clock;
  tokens: Pick<LinearTokens, "of" | "refused">;
  /** Such as `https://api.linear.app`. */
  linearUrl: string;
  observer: CallObserver;
}

/** Calls Linear's GraphQL API for an Integration. It repeats nothing but a call with a token that was refused. */
export class LinearApi {
  readonly #deps: LinearApiDeps;

  constructor(deps: LinearApiDeps) {
    this.#deps = deps;
  }

  /** @throws ProviderError */
  async call<Data, Variables>(
    integration: Integration,
    operation: Operation<Data, Variables>,
    variables: Variables,
  ): Promise<Data> {
    const { observer } = this.#deps;
    const end = { operation: operation.name, needsLess: needsLess(operation) };
    try {
      const data = await this.#callTwice(integration, operation, variables);
      observer.called(integration, end);
      return data;
    } catch (error) {
      const failure =
        error instanceof ProviderError
          ? error
          : new ProviderError("unavailable", "Linear was not called", { cause: error });
      observer.called(integration, { ...end, error: failure });
      throw failure;
    }
  }

  /** A token that was refused may have been revoked for a newer one. */
  async #callTwice<Data, Variables>(
    integration: Integration,
    operation: Operation<Data, Variables>,
    variables: Variables,
  ): Promise<Data> {
    try {
      return await this.#callOnce(integration, operation, variables);
    } catch (error) {
      if (!(error instanceof ProviderError) || error.failure !== "credentials") throw error;
      this.#deps.tokens.refused(integration);
      return this.#callOnce(integration, operation, variables, "with a new token");
    }
  }

  async #callOnce<Data, Variables>(
    integration: Integration,
    operation: Operation<Data, Variables>,
    variables: Variables,
    how?: "with a new token",
  ): Promise<Data> {
    const { tokens, linearUrl } = this.#deps;
    const token = await tokens.of(integration);
    const answer = await post(this.#deps, {
      url: `${linearUrl}/graphql`,
      headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: operation.text, operationName: operation.name, variables }),
    });
    const failure = failureOf(answer, operation.name);
    if (failure) throw how === undefined ? failure : withNewToken(failure);
    const { data } = answer.json as { data?: unknown };
    const parsed = operation.answer.safeParse(data);
    if (parsed.success) return parsed.data;
    throw new ProviderError("unavailable", `Linear's answer to ${operation.name} is not as documented`);
  }
}

/** Reading needs no more than the scope `read`; what asks for the workspace is a test, whose success is to show. */
function needsLess({ name, text }: Pick<Operation<unknown, unknown>, "name" | "text">): boolean {
  return text.startsWith("query") && name !== readOrganization.name;
}

/** The failure of a call with a token that Linear gave just before: its client credentials are right. */
function withNewToken(error: ProviderError): ProviderError {
  if (error.failure !== "credentials" || error.needsAuthorization) return error;
  const message = `${error.message}, with a token that it has just given: the application is not authorized any more`;
  return new ProviderError("credentials", message, { needsAuthorization: true });
}
