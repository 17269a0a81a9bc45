import { expect, it } from "vitest";

import type { Pod } from "../../../kube/core-resources.ts";
import { refusedPod } from "./refused-pod.ts";

const pod: Pod = {
  metadata: { name: "p" },
  spec: {
    containers: [
      {
        name: "runtime",
        resources: { requests: { cpu: "50m", memory: "96Mi" }, limits: { cpu: "1", memory: "512Mi" } },
      },
      { name: "agent", resources: { requests: { cpu: "250m" }, limits: {} } },
    ],
  },
};

it.each([
  "minimum memory usage per Container is 128Mi, but request is 96Mi",
  "cpu max limit to request ratio per Container is 10, but provided ratio is 20.000000",
  "maximum cpu usage per Pod is 1, but limit is 3",
])("names the containers where a LimitRange refuses the pod: %s", (said) => {
  const message = `pods "p" is forbidden: ${said}`;
  expect(refusedPod(message, pod)).toBe(
    `${message}; the containers are runtime (requests cpu 50m, memory 96Mi; limits cpu 1, memory 512Mi) and agent (requests cpu 250m; limits ): set runtimeResources or resources of the SandboxClass`,
  );
});

it("leaves other refusals as they are", () => {
  const message = 'pods "p" is forbidden: for a reason of its own';
  expect(refusedPod(message, pod)).toBe(message);
});
