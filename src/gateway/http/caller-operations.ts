import { z } from "zod";
import type { HandlersOf, Operation } from "./router.ts";

const ShownCaller = z.object({ username: z.string().describe("The caller's name in Kubernetes.") });

export const callerOperations = {
  getCaller: {
    method: "get",
    path: "/caller",
    summary: "Who the caller is to the cluster",
    permission: "nothing; the token alone decides",
    access: [],
    success: { 200: { description: "The bearer of the token.", body: ShownCaller } },
  },
} as const satisfies Record<string, Operation>;

export const callerHandlers: HandlersOf<typeof callerOperations> = {
  getCaller: ({ caller }) => Promise.resolve({ status: 200, body: { username: caller.username } }),
};
