import { createHash, generateKeyPairSync } from "node:crypto";
import { posix } from "node:path";

import { readMessage } from "../../../../src/gateway/runtimes/read-message.ts";
import { decodeSet } from "../../../../src/domain/skills/skill-set.ts";
import { protocolLimits } from "../../../../src/api/runtime/limits.ts";
import { allFilesOf } from "../../../../src/domain/skills/revision.ts";
import { ExecOutput } from "../../../../src/sandbox-runtime/conversation/exec-output.ts";
import {
  answerAgent,
  isMisuse,
  lengthPrefixed,
  readSigningKey,
} from "../../../../src/sandbox-runtime/ssh/agent-protocol.ts";
import { type ArchiveMember, Headers } from "../../../../src/sandbox-runtime/workspace/tar-headers.ts";
import { type Entry, entryOf } from "../../../support/tar.ts";
import { outcomeOf } from "../../property.ts";
import { must, type Target } from "../target.ts";

const runtimeMessage: Target = {
  name: "runtime-message",
  seeds: [
    '{"type":"hello","protocol":1,"needsBundle":false,"openPrompts":[]}',
    '{"type":"event","seq":1,"event":{"kind":"output","source":"agent","promptUid":"u","stream":"stdout","text":"t"}}',
    '{"type":"event","seq":2,"event":{"kind":"tool","promptUid":"u","tool":"t1","title":"Read","state":"completed"}}',
    '{"type":"promptEnded","seq":3,"outcome":{"prompt":{"name":"p","uid":"u"},"verdict":"succeeded","usage":{"costUsd":0.1}}}',
    '{"type":"heartbeat"}',
    '{"type":"new","seq":4}',
  ],
  take(input) {
    const read = readMessage(input.toString("utf8"));
    if (!read || read.message.type === "unknown") return;
    const again = readMessage(JSON.stringify(read.message));
    must(again !== undefined && !again.hasUnknownFields, "what was read can be read again, whole");
    must(JSON.stringify(again?.message) === JSON.stringify(read.message), "and is the same");
  },
};

/** Cuts the input at places that the input itself decides. */
function piecesOf(input: Buffer): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0; at < input.length;) {
    const end = Math.min(input.length, at + 1 + ((input[at] ?? 0) % 97));
    pieces.push(input.subarray(at, end));
    at = end;
  }
  return pieces;
}

function execReport(texts: readonly string[]): object {
  const costs: unknown[] = [];
  const output = new ExecOutput({ take: (cost) => void costs.push(cost), refuse: () => void costs.push("refused") });
  for (const text of texts) output.take(text);
  return { ...output.end(), costs };
}

const agentOutput: Target = {
  name: "agent-output",
  seeds: [
    'hello\n{"type":"result","summary":"done","branch":"b","commit":"c"}\n',
    '{"usage":{"costUsd":"0.1","inputTokens":3,"outputTokens":-1}}\nlast line',
    '{"type":"result","subtype":"success","is_error":true,"result":"no key","total_cost_usd":0.1,"usage":{"input_tokens":3}}\n',
    '{"type":"thread.started"}\n{"type":"error","message":"again"}\n{"type":"item.completed","item":{"type":"agent_message","text":"done"}}\n{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":1}}\n',
    '{"type":"message","role":"assistant","content":"do","delta":true}\n{"type":"message","role":"assistant","content":"ne","delta":true}\n{"type":"result","status":"error","error":{"message":"quota"},"stats":{"input_tokens":3}}\n',
    'text\n{\n  "session_id": "s",\n  "response": "done",\n  "stats": {\n    "models": {"m": {"tokens": {"prompt": 3, "candidates": 1}}}\n  }\n}\n',
  ],
  take(input) {
    const text = input.toString("latin1");
    const whole = execReport([text]) as { summary?: string };
    must(Array.from(whole.summary ?? "").length <= protocolLimits.summaryCharacters, "a summary is bounded");
    const pieces = execReport(piecesOf(input).map((piece) => piece.toString("latin1")));
    must(JSON.stringify(pieces) === JSON.stringify(whole), "where output is cut changes nothing");
  },
};

const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const key = readSigningKey(privateKey.export({ type: "sec1", format: "pem" }).toString());
/** In inputs: the key that only this process has. */
const ownKey = "<own key>";

const sshAgent: Target = {
  name: "ssh-agent",
  seeds: [
    Buffer.of(11),
    Buffer.concat([
      Buffer.of(13),
      Buffer.from(ownKey),
      lengthPrefixed(Buffer.concat([lengthPrefixed(Buffer.from("id")), Buffer.of(50)])),
      Buffer.alloc(4),
    ]),
    Buffer.of(27, 0, 0, 0, 1, 97),
  ],
  take(input) {
    const message = Buffer.from(
      input.toString("latin1").replace(ownKey, lengthPrefixed(key.publicBlob).toString("latin1")),
      "latin1",
    );
    const answer = answerAgent(key, message);
    must([5, 12, 14].includes(answer[0] ?? 0), "it lists, signs or fails");
    must(answer[0] !== 14 || message.includes(key.publicBlob), "it signs for its own key only");
    must(answer[0] === 5 || !isMisuse(message, answer), "what was answered is no misuse");
  },
};

const skills: Target = {
  name: "skill-set",
  seeds: [
    '{"version":1,"skills":[{"name":"deploy","skillFile":"---","files":[{"path":"scripts/a.sh","content":"x","executable":true},{"path":"b/ü.md","content":"y"}]}]}',
    '{"version":1,"skills":[{"name":"a","skillFile":"","files":[{"path":"../a","content":""},{"path":"SKILL.md/x","content":""}]}]}',
  ],
  take(input) {
    const digest = `sha256:${createHash("sha256").update(input).digest("hex")}`;
    const isOwn = (error: unknown): boolean => error instanceof Error && error.constructor === Error;
    const outcome = outcomeOf(() => decodeSet(input, digest), isOwn);
    if (outcome === "refused") return;
    const files = outcome.value.flatMap((skill) => allFilesOf(skill).map(({ path }) => posix.join(skill.name, path)));
    must(new Set(files).size === files.length, "no two files are one");
    for (const skill of outcome.value) {
      for (const { path } of skill.files) {
        const place = posix.normalize(path);
        must(place === path && !path.startsWith("/") && !path.startsWith(".."), "files are below their skill's folder");
        must(path.split("/")[0]?.toLowerCase() !== "skill.md", "nothing takes the place of SKILL.md");
      }
    }
  },
};

const block = 512;

/** With the checksums that its headers need, which no change of bytes would ever hit. */
function withChecksums(input: Buffer): Buffer {
  const archive = Buffer.from(input);
  for (let at = 0; at + block <= archive.length; at += block) {
    if (archive.toString("latin1", at + 257, at + 262) !== "ustar") continue;
    archive.fill(" ", at + 148, at + 156);
    const sum = archive.subarray(at, at + block).reduce((total, byte) => total + byte, 0);
    archive.write(`${sum.toString(8).padStart(6, "0")}\0`, at + 148, "latin1");
  }
  return archive;
}

function membersOf(pieces: readonly Buffer[]): ArchiveMember[] | "refused" {
  const headers = new Headers();
  const outcome = outcomeOf(
    () => pieces.flatMap((piece) => headers.take(piece).found.map(({ member }) => member)),
    (error) => error instanceof Error && error.constructor === Error,
  );
  return outcome === "refused" ? "refused" : outcome.value;
}

/** Without the blocks at its end. */
const archiveOf = (entries: readonly Entry[]): Buffer => Buffer.concat(entries.map((entry) => entryOf(entry)));

const archives: Target = {
  name: "archive-headers",
  seeds: [
    archiveOf([
      { type: "0", name: "a/b", content: "text" },
      { type: "2", name: "l", target: "a" },
    ]),
    archiveOf([
      { type: "L", name: "././@LongLink", content: "x".repeat(120) },
      { type: "0", name: "x" },
    ]),
    archiveOf([
      { type: "K", name: "././@LongLink", content: "y".repeat(120) },
      { type: "1", name: "h", target: "y" },
    ]),
    entryOf({ type: "3", name: "dev", device: [0, 0] }),
    entryOf({ type: "S", name: "sparse", content: "1" }),
  ],
  take(input) {
    const archive = withChecksums(input);
    const whole = membersOf([archive]);
    must(
      JSON.stringify(membersOf(piecesOf(archive))) === JSON.stringify(whole),
      "where an archive is cut changes nothing",
    );
    if (whole === "refused") return;
    for (const { size } of whole) must(Number.isSafeInteger(size) && size >= 0, "sizes are whole numbers");
    const headers = new Headers();
    const passed = Buffer.concat(piecesOf(archive).map((piece) => headers.take(piece).bytes));
    must(archive.subarray(0, passed.length).equals(passed), "its bytes are passed on as they came");
  },
};

/** What sandboxes, agents and repositories say. */
export const sandboxTargets: readonly Target[] = [runtimeMessage, agentOutput, sshAgent, skills, archives];
