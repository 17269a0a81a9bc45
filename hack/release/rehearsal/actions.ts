import type { Progress } from "../../lib/progress.ts";
import { imagesOf } from "../../../test/e2e/support/previous-release.ts";
import { pushReleaseImage } from "./release-image.ts";
import type { StandIn } from "./runner.ts";
import { checkOut, shareDependencies, type Origin } from "./sources.ts";

const isThereAlready: StandIn = () => Promise.resolve({});

/** What stands for each action of the release workflow. */
export function standInActions(origin: Origin, folder: string, progress: Progress): Record<string, StandIn> {
  return {
    "actions/checkout": async ({ workspace }) => {
      await checkOut(origin, workspace);
      return {};
    },
    "actions/setup-node": isThereAlready,
    "actions/setup-go": isThereAlready,
    "docker/setup-qemu-action": isThereAlready,
    "docker/setup-buildx-action": isThereAlready,
    "docker/login-action": isThereAlready,
    "sigstore/cosign-installer": isThereAlready,
    "docker/build-push-action": async ({ workspace, with: { target = "", tags = "", platforms = "" } }) => {
      if (target !== "operator" && target !== "sandbox") throw new Error(`there is no image ${target}`);
      await shareDependencies(workspace);
      const built = await imagesOf(workspace, progress);
      const image = {
        target,
        tag: tags,
        platforms: platforms.split(","),
        built,
        origin,
        checkout: workspace,
        folder,
      } as const;
      return { digest: await pushReleaseImage(image, progress) };
    },
  };
}

/** Platforms that targets are made for here, where not all can be: instructions of the sandbox image run programs of its platform. */
export const platformsHere: Readonly<Record<string, string>> = { sandbox: "linux/amd64" };

/** Scripts of the workflow that are not run, and why. */
export const leftOut: Readonly<Record<string, string>> = {
  "npm run audit": "it asks the npm registry about all packages, which has nothing to do with what is released",
  ".ci/run": "it is npm run verify and npm test, which have ways of their own",
};
