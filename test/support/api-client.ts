import { Agent, request } from "undici";

import { type ClusterCredentials, headersOf, tlsOf } from "../../hack/cluster/cluster.ts";

/** What an API server answered. */
export interface ApiAnswer {
  status: number;
  /** The parsed JSON body, or the text of one that is not JSON. */
  body: unknown;
}

/** A plain HTTP client for tests, so that they judge the API server's own word and not our client's view of it. */
export interface ApiClient {
  send(method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<ApiAnswer>;
  /** Creates or changes an object by server-side apply; throws with the server's message when it is refused. */
  apply(path: string, object: unknown): Promise<void>;
  close(): Promise<void>;
}

/** Connects to one API server as the user of the credentials, or as another, with a group's rights, whom that one may impersonate. */
export function connectApi(credentials: ClusterCredentials, user?: string, group?: string): ApiClient {
  const agent = new Agent({ connect: tlsOf(credentials) });
  const send: ApiClient["send"] = async (method, path, body) => {
    const answer = await request(`${credentials.server}${path}`, {
      dispatcher: agent,
      method,
      headers: {
        ...headersOf(credentials),
        "content-type": contentType(method, path),
        ...(user === undefined ? {} : { "impersonate-user": user }),
        ...(group === undefined ? {} : { "impersonate-group": group }),
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return { status: answer.statusCode, body: parse(await answer.body.text()) };
  };
  return {
    send,
    async apply(path, object) {
      const { status, body } = await send("PATCH", `${path}?fieldManager=tests&force=true`, object);
      if (status >= 300) throw new Error(`apply ${path}: ${status} ${JSON.stringify(body)}`);
    },
    close: () => agent.close(),
  };
}

function contentType(method: string, path: string): string {
  if (method !== "PATCH") return "application/json";
  return path.includes("fieldManager=") ? "application/apply-patch+yaml" : "application/merge-patch+json";
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
