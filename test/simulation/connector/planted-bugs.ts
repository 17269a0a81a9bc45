import type { Post } from "../../../src/api/v1alpha1/index.ts";
import { changed, collectionOf, isOf, lost, pathOf, type PlantedBug } from "../planted-bug.ts";

interface ConversationStatus {
  posts?: Post[];
}

/** Faults of the connector. */
export const plantedConnectorBugs: readonly PlantedBug[] = [
  {
    name: "prompts whose names do not follow from their event",
    seenAt: 5,
    tamper(request, context) {
      const isPrompt = request.method === "POST" && collectionOf(request) === "prompts";
      if (!isOf("connector", context) || !isPrompt) return undefined;
      const renamed = changed(request, (prompt) => {
        return { ...prompt, metadata: { ...prompt.metadata, name: context.random.uuid() } };
      });
      // Few creates of prompts are among the requests whose answers are lost as it is.
      const isLost = context.random.happens(0.3) && context.api.answer(renamed.request).status === 201;
      return isLost ? { answer: lost } : renamed;
    },
  },
  {
    name: "calls of Slack that are not noted before they begin",
    seenAt: 25,
    tamper(request, context) {
      const isStatus = request.method === "PATCH" && /\/conversations\/[^/]+\/status$/.test(pathOf(request));
      if (!isOf("connector", context) || !isStatus) return undefined;
      return changed<ConversationStatus>(request, (patch) => {
        const posts = patch.status?.posts?.map((post) => ({ ...post, callTime: undefined }));
        return posts ? { ...patch, status: { ...patch.status, posts } } : patch;
      });
    },
  },
];
