import { createHmac } from "node:crypto";
import { secretsMacDataKey, secretsMacSecretName } from "../../../api/v1alpha1/names.ts";
import type { KubeClient } from "../../../kube/client.ts";
import { secrets } from "../../../kube/core-resources.ts";
import { isAlreadyExists } from "../../../kube/errors.ts";
import { base32 } from "../../../lib/base32.ts";
import type { Random } from "../../../lib/random.ts";

const keyBytes = 32;

/** Keyed hash of the secrets that a sandbox gets, as a label may hold it. Without the key it says nothing about them. */
export function secretsMac(key: Uint8Array, environment: Readonly<Record<string, string>>): string {
  const entries = Object.entries(environment).sort(([left], [right]) => (left < right ? -1 : 1));
  return base32(createHmac("sha256", key).update(JSON.stringify(entries)).digest());
}

/** The key of these hashes, in a Secret of the sessions namespace that is made once. Another key makes all images stale. */
export class SecretsMacKey {
  readonly #deps: {
    client: Pick<KubeClient, "get" | "find" | "create">;
    random: Pick<Random, "bytes">;
    sessionsNamespace: string;
  };
  #known: Uint8Array | undefined;

  constructor(deps: {
    client: Pick<KubeClient, "get" | "find" | "create">;
    random: Pick<Random, "bytes">;
    sessionsNamespace: string;
  }) {
    this.#deps = deps;
  }

  async macOf(environment: Readonly<Record<string, string>>): Promise<string> {
    this.#known ??= await this.#read();
    return secretsMac(this.#known, environment);
  }

  async #read(): Promise<Uint8Array> {
    const { client, random, sessionsNamespace: namespace } = this.#deps;
    const key = { namespace, name: secretsMacSecretName };
    const found = await client.find(secrets, key);
    const stored = found ?? (await this.#create({ namespace, bytes: random.bytes(keyBytes) }));
    const bytes = Buffer.from(stored.data?.[secretsMacDataKey] ?? "", "base64");
    if (bytes.length < keyBytes) {
      throw new Error(`Secret ${namespace}/${secretsMacSecretName} holds no key: delete it, and another is made`);
    }
    return bytes;
  }

  async #create({ namespace, bytes }: { namespace: string; bytes: Uint8Array }) {
    const { client } = this.#deps;
    const metadata = { namespace, name: secretsMacSecretName };
    const data = { [secretsMacDataKey]: Buffer.from(bytes).toString("base64") };
    try {
      return await client.create(secrets, { metadata, type: "Opaque", data });
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return client.get(secrets, metadata);
    }
  }
}
