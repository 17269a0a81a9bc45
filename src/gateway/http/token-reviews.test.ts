import { expect, it } from "vitest";

import type { KubeClient } from "../../kube/client.ts";
import { ReviewsBusyError, TokenReviews } from "./token-reviews.ts";

/** Reviews that the API server never ends, but for one good token. */
const client = {
  create: (_: unknown, { spec }: { spec: { token: string } }) =>
    spec.token === "good"
      ? Promise.resolve({ status: { authenticated: true, user: { username: "ada" } } })
      : new Promise(() => undefined),
} as unknown as Pick<KubeClient, "create">;

it("answers others while one sharer has all the reviews under way that it gets", async () => {
  let refused = 0;
  const reviews = new TokenReviews(client, () => (refused += 1));
  for (let junk = 0; junk < 64; junk += 1) void reviews.review({ token: `junk-${junk}`, sharer: "hostile" });
  await expect(reviews.review({ token: "good", sharer: "hostile" })).rejects.toThrow(ReviewsBusyError);
  for (let review = 0; review < 100; review += 1) {
    expect(await reviews.review({ token: "good", sharer: "quiet" })).toMatchObject({ username: "ada" });
  }
  expect(refused).toBe(1);
});
