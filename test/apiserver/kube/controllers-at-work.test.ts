import { expect, it, onTestFinished } from "vitest";

import type { KubeClient } from "../../../src/kube/client.ts";
import type { Selection } from "../../../src/kube/client-options.ts";
import { configMaps } from "../../../src/kube/core-resources.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { noteOtherWriters } from "../../support/kube.ts";

it("looks at what is stored once for each step, and where others write, too, once for each version", async () => {
  let stored = 0;
  let lists = 0;
  const list = (_: unknown, { fieldSelector }: Selection): Promise<object> => {
    if (fieldSelector === undefined) lists += 1;
    const items = Array.from({ length: stored }, (__, at) => ({ metadata: { name: `c${at}` } }));
    return Promise.resolve({ items: fieldSelector === undefined ? items : [], resourceVersion: String(stored) });
  };
  const cache = { resource: configMaps, selection: {}, size: 0, get: () => undefined };
  const work = new ControllersAtWork({ list } as unknown as KubeClient, [cache]);
  expect([await work.isAtRest(), await work.isAtRest(), lists]).toEqual([true, true, 1]);
  onTestFinished(noteOtherWriters());
  expect([await work.isAtRest(), await work.isAtRest(), lists]).toEqual([true, true, 2]);
  stored = 1;
  expect([await work.isAtRest(), await work.isAtRest(), lists]).toEqual([false, false, 4]);
});
