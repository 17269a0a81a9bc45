import { randomInt, randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const recorded = join(import.meta.dirname, "..", "..", "fixtures", "payloads", "alertmanager-v4.json");
const adjectives = ["amber", "brisk", "calm", "dusky", "eager", "frosty", "gentle", "hollow"];
const animals = ["badger", "crane", "dormouse", "egret", "ferret", "gecko", "heron", "ibex"];

/** The part of an Alertmanager v4 body that the sample touches; the rest is sent as recorded. */
interface AlertmanagerBody {
  commonLabels: Record<string, string>;
  commonAnnotations: Record<string, string>;
  [member: string]: unknown;
}

/** One body to send, and the word in it that must come out at the other end. */
export interface SamplePayload {
  body: Record<string, unknown>;
  incident: string;
}

/** How a sample differs from the recorded body. */
export interface SampleOptions {
  /** Adds a new idempotency key. */
  keyed?: boolean;
  /** Replaces `commonLabels.severity`. */
  severity?: string;
}

/** The recorded Alertmanager body with a new incident in its annotations. */
export async function samplePayload({ keyed = false, severity }: SampleOptions = {}): Promise<SamplePayload> {
  // Recorded from a real Alertmanager, so it has the members that every v4 body has.
  const body = JSON.parse(await readFile(recorded, "utf8")) as AlertmanagerBody;
  const incident = randomIncident();
  return {
    incident,
    body: {
      ...body,
      commonLabels: { ...body.commonLabels, ...(severity === undefined ? {} : { severity }) },
      commonAnnotations: { ...body.commonAnnotations, incident },
      ...(keyed ? { idempotencyKey: randomUUID() } : {}),
    },
  };
}

function randomIncident(): string {
  return `${pick(adjectives)}-${pick(animals)}-${randomInt(1000, 10_000)}`;
}

function pick(words: readonly string[]): string {
  return words[randomInt(words.length)] ?? "";
}
