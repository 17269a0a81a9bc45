import { SandboxClass } from "../../src/api/v1alpha1/sandbox-class.ts";
import type { WarmSource } from "../../src/controllers/sandbox/pool/revision.ts";

const { spec } = SandboxClass.schema.parse({ spec: {} });

/** What the pods of a pool are made from. */
export const warmSource = {
  owner: { spec: { target: {}, sandboxClassName: "c", serviceAccountName: "runner" } },
  sandboxClass: { metadata: { name: "c" }, spec },
  gatewayCa: "PEM",
  environment: { release: { name: "rw", namespace: "system" }, image: "i", gatewayUrl: "wss://g:1" },
} as unknown as WarmSource;
