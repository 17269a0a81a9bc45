import { expect, it } from "vitest";

import type { Integration } from "../api/v1alpha1/index.ts";
import type { Change } from "../kube/cache.ts";
import { forgetDeleted } from "./forget-deleted.ts";
import type { ConnectorInformers } from "./informers.ts";

it("has all keepers forget an Integration that is deleted, and no other", () => {
  let tell: ((change: Change<Integration>) => void) | undefined;
  const integrations = { onChange: (handler: typeof tell) => void (tell = handler) };
  const forgotten: string[] = [];
  const keepers = ["a", "b"].map((name) => ({ forget: (uid: string) => void forgotten.push(`${name} ${uid}`) }));
  forgetDeleted({ integrations } as unknown as Pick<ConnectorInformers, "integrations">, keepers);
  const object = { metadata: { name: "slack", uid: "u" } } as Integration;
  tell?.({ type: "added", object });
  tell?.({ type: "updated", object, old: object });
  expect(forgotten).toEqual([]);
  tell?.({ type: "deleted", object, old: object });
  expect(forgotten).toEqual(["a u", "b u"]);
});
