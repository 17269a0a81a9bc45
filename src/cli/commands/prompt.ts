import { Prompt, type PromptImage, type Session } from "../../api/v1alpha1/index.ts";
import { randomName, randomNameBytes } from "../../domain/object-names.ts";
import { makePrompt } from "../../domain/prompts/make-prompt.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { timeoutFlag } from "../arguments/common-flags.ts";
import { misuse } from "../cli-error.ts";
import { followPrompt } from "./follow-prompt.ts";
import { controllerMs } from "./poll.ts";
import { shownAs } from "../output/listed.ts";
import { readInput } from "../arguments/read-input.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingSession } from "../cluster/existing-objects.ts";
import { nameOf, progressText, shownEnd } from "../output/shown-prompt.ts";
import { uploadImages } from "../gateway/upload-images.ts";
import { storeOnce } from "../../kube/store-once.ts";

const flags = {
  filename: { short: "f", value: "FILE", about: "file with the text; - reads standard input" },
  image: {
    value: "FILE",
    repeats: true,
    about: "show the agent this PNG, JPEG, WebP or GIF of at most 10 MiB; up to 6 times",
  },
  follow: { about: "print the progress until the prompt has ended" },
  ...timeoutFlag("--follow"),
} as const;

export const prompt = defineCommand({
  name: "prompt",
  summary: "send a prompt to a Session",
  details:
    "Creates a Prompt with your own permissions and prints whether the controller accepted it. A session works on one prompt after the other and can have at most 50 unfinished ones. With --follow the command returns when the prompt has ended, and fails unless the prompt completed. Images are uploaded through the gateway; with images, TEXT is optional.",
  parameters: ["SESSION", "[TEXT]"],
  flags,
  formats: ["json", "yaml", "name"],
  examples: [
    'prompt demo/upgrade "Now run the tests."',
    "prompt demo/upgrade -f task.md --follow --timeout 2h",
    'prompt demo/upgrade "Why is it off?" --image shot.png',
  ],
  async run(invocation) {
    const { io } = invocation;
    const { follow, timeout } = invocation.flags;
    if (timeout !== undefined && !follow) throw misuse("--timeout needs --follow", prompt.name);
    const forMs = timeout?.ms ?? Infinity;
    const text = await textOf(invocation);
    const session = await existingSession(invocation.cluster(), nameArgument("Session", invocation));
    const images = await uploadImages(invocation, session, invocation.flags.image);
    const asked = await ask(invocation, session, { text, images });
    const isAccepted = {
      isEnough: ({ state }: { state: string }) => state !== "created",
      forMs: Math.min(controllerMs, forMs),
    };
    const judged = await followPrompt(invocation, asked, isAccepted);
    if (judged.state === "ended") return shownEnd(judged);
    if (!follow) return { text: progressText(judged), ...shownAs(Prompt, judged.prompt) };
    let said = "";
    const last = await followPrompt(invocation, asked, {
      isEnough: ({ state }) => state === "ended",
      forMs,
      onSeen: (seen) => {
        if (seen.state === "ended" || progressText(seen) === said) return;
        said = progressText(seen);
        io.note(said);
      },
    });
    if (last.state === "ended") return shownEnd(last);
    const failure = `${nameOf(last.prompt)} has not ended within ${timeout?.text ?? ""}; it goes on`;
    return { text: "", ...shownAs(Prompt, last.prompt), failure };
  },
});

async function textOf({
  args,
  flags: { filename, image },
}: Pick<Invocation<typeof flags>, "args" | "flags">): Promise<string> {
  const [, text] = args;
  if (text === undefined && filename === undefined && image.length > 0) return "";
  if ((text === undefined) === (filename === undefined)) {
    throw misuse("prompt needs either TEXT or -f FILE (-f - for standard input)", prompt.name);
  }
  return text ?? (await readInput(filename ?? "-")).toString();
}

function ask(
  { cluster, random }: Pick<Invocation, "cluster" | "random">,
  session: Session,
  content: { text: string; images: readonly PromptImage[] },
): Promise<Prompt> {
  const name = randomName(session.metadata.name ?? "", random.bytes(randomNameBytes));
  return storeOnce(cluster().client, Prompt, makePrompt(session, { name, ...content }));
}
