import { expect, it, onTestFinished } from "vitest";

import type { KubeClient } from "../../../src/kube/client.ts";
import { configMaps } from "../../../src/kube/core-resources.ts";
import { ControllersAtWork } from "../../support/controllers-at-work.ts";
import { noteOtherWriters } from "../../support/kube.ts";

it("looks at what is stored again where others write, too, and else once for each step", async () => {
  let stored = 0;
  let lists = 0;
  const list = (): Promise<object> => {
    lists += 1;
    return Promise.resolve({ items: Array.from({ length: stored }, (_, at) => ({ metadata: { name: `c${at}` } })) });
  };
  const cache = { resource: configMaps, selection: {}, size: 0, get: () => undefined };
  const work = new ControllersAtWork({ list } as unknown as KubeClient, [cache]);
  expect([await work.isAtRest(), await work.isAtRest(), lists]).toEqual([true, true, 1]);
  onTestFinished(noteOtherWriters());
  stored = 1;
  expect([await work.isAtRest(), lists]).toEqual([false, 2]);
});
