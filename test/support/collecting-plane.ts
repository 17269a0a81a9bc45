import { afterAll, beforeAll, inject } from "vitest";

import { noteOtherWriters } from "./kube.ts";

/** The project's control plane with a garbage collector, for all tests of the file; gives its kubeconfig file once it is up. */
export function collectingPlane(): { readonly kubeconfig: string } {
  let kubeconfig = "";
  let othersEnded: (() => void) | undefined;
  beforeAll(async () => {
    const answer = await fetch(inject("collectingPlane"));
    kubeconfig = await answer.text();
    if (!answer.ok) throw new Error(`the control plane with a garbage collector did not start: ${kubeconfig}`);
    othersEnded = noteOtherWriters();
  });
  afterAll(() => othersEnded?.());
  return {
    get kubeconfig() {
      return kubeconfig;
    },
  };
}
