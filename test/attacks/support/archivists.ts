import { createHash } from "node:crypto";

import { Attacker } from "../../e2e/support/attacker.ts";
import { release } from "../../e2e/support/install.ts";
import { kubectl, type Workbench } from "../../e2e/support/workbench.ts";
import { archiveKey } from "../../../src/api/v1alpha1/names.ts";
import type { Session } from "../../../src/api/v1alpha1/index.ts";
import { compressed, hostileArchives } from "./archives.ts";

const blobs = "/var/lib/runwright/blobs";
const linksMade = "links";
const takerName = "taker";

/** Sessions whose workspace is saved as soon as they are idle: attempts at what is saved and restored. */
export class Archivists {
  readonly #bench: Workbench;
  readonly #namespace: string;
  readonly #sessions = new Map<string, Attacker>();

  constructor(bench: Workbench, namespace: string) {
    this.#bench = bench;
    this.#namespace = namespace;
  }

  /** Has each of them make what is then saved. */
  async begin(): Promise<void> {
    const hostile = Object.keys(hostileArchives).map((name, index) =>
      this.#start(name, `archive-${index}`, "look.mjs"),
    );
    await Promise.all([
      ...hostile,
      this.#start(linksMade, linksMade, "links.mjs", { phase: "make" }),
      this.#start(takerName, takerName, "taker.mjs"),
    ]);
  }

  /** A sandbox that has ended. */
  async ended(): Promise<{ uid: string; attempt: number }> {
    const { metadata, status } = await this.#saved(linksMade);
    return { uid: metadata.uid ?? "", attempt: status?.snapshot?.attempt ?? 0 };
  }

  /** What came of each attempt. */
  async attempts(): Promise<Record<string, unknown>> {
    const hostile = Object.entries(hostileArchives).map(async ([name, archive]) => {
      const session = await this.#saved(name);
      await this.#replace(session, archive());
      const { attacks, isRestored } = await this.#of(name).report("look.mjs");
      const isRefused = (attacks as string[]).length === 0 && isRestored === false && (await this.#saysRefused(name));
      return [name, isRefused ? "refused" : { attacks, isRestored }] as const;
    });
    const [links, taker, ...others] = await Promise.all([this.#links(), this.#taker(), ...hostile]);
    return { ...links, ...taker, ...Object.fromEntries(others) };
  }

  async #start(key: string, name: string, program: string, given: object = {}): Promise<void> {
    const session = new Attacker(this.#bench, this.#namespace, name);
    this.#sessions.set(key, session);
    await session.create({ idleTimeoutSeconds: 1 });
    await session.report(program, given);
  }

  /** Whether the session's condition says why it began afresh. */
  async #saysRefused(key: string): Promise<boolean> {
    const { status } = await this.#of(key).session(({ status: seen }) => {
      return seen?.conditions?.some(({ type }) => type === "WorkspaceRestored") === true;
    });
    const restored = status?.conditions?.find(({ type }) => type === "WorkspaceRestored");
    return restored?.status === "False" && restored.message.includes("no save could have written");
  }

  #of(key: string): Attacker {
    const session = this.#sessions.get(key);
    if (!session) throw new Error(`there is no session for ${key}`);
    return session;
  }

  /** The session, once its sandbox was saved and has ended. */
  #saved(key: string): Promise<Session> {
    return this.#of(key).session(
      ({ status }) => status?.snapshot !== undefined && status.sandbox?.endTime !== undefined,
    );
  }

  /**
   * Puts an archive in place of the one that was saved, with a status that vouches for it, as if a process of the agent had sent it when the
   * workspace was saved.
   */
  async #replace({ metadata, status }: Session, archive: Iterable<Uint8Array>): Promise<void> {
    const { attempt = 0, archive: name = "" } = status?.snapshot ?? {};
    const path = `${blobs}/${archiveKey(metadata.uid ?? "", { attempt, archive: name })}`;
    const program = `
      const text = require("node:fs").readFileSync(0, "utf8");
      require("node:fs").writeFileSync(process.argv[1], Buffer.from(text, "base64"));`;
    const inGateway = ["-n", release.namespace, "exec", "-i", `deployment/${release.name}-gateway`, "--"];
    const content = await compressed(archive);
    await kubectl(this.#bench, [...inGateway, "node", "-e", program, path], content.toString("base64"));
    const digest = `sha256:${createHash("sha256").update(content).digest("hex")}`;
    const { namespace = "", name: session = "" } = metadata;
    const patch = ["-n", namespace, "patch", "session", session, "--subresource=status", "--type=merge", "-p"];
    const snapshot = { bytes: content.length, digest };
    await kubectl(this.#bench, [...patch, JSON.stringify({ status: { snapshot } })]);
  }

  async #links(): Promise<Record<string, unknown>> {
    await this.#saved(linksMade);
    return this.#of(linksMade).report("links.mjs", { phase: "look" });
  }

  async #taker(): Promise<Record<string, unknown>> {
    const { status } = await this.#of(takerName).session(({ status: seen }) => {
      return seen?.conditions?.some(({ type, status: is }) => type === "WorkspaceSaved" && is === "False") === true;
    });
    const isStored = status?.snapshot !== undefined;
    return { "save an archive of its own in the workspace's place": isStored ? "stored" : "refused" };
  }
}
