import { annotations, PrebuiltImage } from "../../api/v1alpha1/index.ts";
import { keyText } from "../../lib/resource.ts";
import { nameArgument } from "../arguments/name-argument.ts";
import { existingImage } from "../cluster/existing-objects.ts";
import { defineCommand } from "../command.ts";
import { shownAs } from "../output/listed.ts";
import { controllerMs, poll } from "./poll.ts";

export const imageBuild = defineCommand({
  name: "image build",
  summary: "have a PrebuiltImage built now, whether its branches have changed or not",
  details:
    "Sets the annotation runwright.dev/rebuild-requested-at with your own permissions. During a build it does nothing, as that build answers the request; while the branches are being looked at, a build follows.",
  parameters: ["IMAGE"],
  flags: {},
  formats: ["json", "yaml", "name"],
  examples: ["image build demo/checkout"],
  async run(invocation) {
    const id = nameArgument("PrebuiltImage", invocation);
    const { client } = invocation.cluster();
    const before = await existingImage(invocation.cluster(), id);
    const name = `PrebuiltImage ${keyText(id)}`;
    const going = before.status?.build;
    if (going && going.step !== "Checking") {
      return { text: `${name} is being built already: build ${going.number}`, ...shownAs(PrebuiltImage, before) };
    }
    const value = invocation.clock.now().toISOString();
    const patch = { metadata: { uid: before.metadata.uid, annotations: { [annotations.rebuildRequestedAt]: value } } };
    await client.patch<PrebuiltImage>(PrebuiltImage, id, patch);
    const look = (): Promise<PrebuiltImage> => existingImage(invocation.cluster(), id);
    const isSeen = ({ status }: PrebuiltImage): boolean => status?.rebuildRequestedAt === value;
    const after = await poll(invocation.clock, look, { isEnough: isSeen, forMs: controllerMs });
    const build = isSeen(after) ? after.status?.build : undefined;
    const text = build
      ? `${name} is being built: build ${build.number}\nTo see its output: kubectl runwright image logs ${keyText(id)} -f`
      : `${name} will be built; what it waits for: kubectl runwright image status ${keyText(id)}`;
    return { text, ...shownAs(PrebuiltImage, after) };
  },
});
