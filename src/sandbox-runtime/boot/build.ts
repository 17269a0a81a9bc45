import { type BuildNote, imageVersion, mostSecretFiles, type RepositoryCommit } from "../../api/runtime/build.ts";
import type { BootFailure } from "../../api/runtime/bundle.ts";
import { reasons } from "../../api/v1alpha1/reasons.ts";
import { branchHeads, changedFrom } from "../git/branch-heads.ts";
import { headOf } from "../git/git-state.ts";
import { findSecrets } from "../output/find-secrets.ts";
import { checkoutOf, type WorkContext } from "../work-context.ts";
import { prepare, writeGitFiles } from "./boot.ts";

export type BuildEnd = { note: BuildNote; failure?: undefined } | { failure: BootFailure; note?: undefined };

/** Kubernetes names processors as Go does. */
const architectures: Partial<Record<NodeJS.Architecture, string>> = { x64: "amd64", ia32: "386" };

/**
 * Builds an image: looks at the branches, clones and runs setup.sh, all of which must succeed, within the build's time.
 * `elapsedMs` has passed since the runtime's container started. Nothing is done where the branches are as they were.
 */
export async function buildImage(context: WorkContext, elapsedMs: number): Promise<BuildEnd> {
  const { timeoutSeconds = 0, unless } = context.bundle.build ?? {};
  writeGitFiles(context);
  const work = new Build(context);
  const late = Promise.withResolvers<BootFailure>();
  const timer = context.clock.setTimeout(
    () => late.resolve(work.timeout(timeoutSeconds)),
    leftMs(timeoutSeconds, elapsedMs),
  );
  const ended = await Promise.race([work.run(unless), late.promise.then((failure) => ({ failure }))]);
  timer.cancel();
  if ("failure" in ended) return { failure: ended.failure };
  if (ended.result === "Unchanged") return { note: { ...base(), result: "Unchanged", commits: [...(unless ?? [])] } };
  return { note: { ...base(), result: "Built", commits: ended.commits, ...(await searched(context)) } };
}

function leftMs(timeoutSeconds: number, elapsedMs: number): number {
  return Math.max(0, timeoutSeconds * 1_000 - elapsedMs);
}

function base(): Pick<BuildNote, "runtimeVersion" | "architecture" | "secretFiles" | "secretFileCount"> {
  const architecture = architectures[process.arch] ?? process.arch;
  return { runtimeVersion: imageVersion, architecture, secretFiles: [], secretFileCount: 0 };
}

async function searched(context: WorkContext): Promise<Pick<BuildNote, "secretFiles" | "secretFileCount">> {
  const files = await findSecrets(context);
  return { secretFiles: files.slice(0, mostSecretFiles), secretFileCount: files.length };
}

type Done = { failure: BootFailure } | { result: "Unchanged" } | { result: "Built"; commits: RepositoryCommit[] };

class Build {
  readonly #context: WorkContext;
  /** Of the branches, as far as they were found: a failure is one of these commits. */
  #heads: RepositoryCommit[] = [];
  #phase: "clone" | "setup" = "clone";
  #doing = "looking at the branches";

  constructor(context: WorkContext) {
    this.#context = {
      ...context,
      publish: (event) => {
        if (event.kind !== "bootProgress" || (event.phase !== "clone" && event.phase !== "setup")) {
          context.publish(event);
          return;
        }
        const { phase, repository } = event;
        this.#phase = phase;
        this.#doing = phase === "clone" ? "cloning" : `running setup.sh of repository ${repository ?? ""}`;
        // The container may end without another word, and then these are known all the same.
        context.publish(this.#heads.length === 0 ? event : { ...event, commits: this.#heads });
      },
    };
  }

  timeout(seconds: number): BootFailure {
    const message = `clone and setup.sh did not end within ${seconds} s; it was ${this.#doing}`;
    return { phase: this.#phase, reason: reasons.buildTimeout, message, commits: this.#heads };
  }

  async run(unless: readonly RepositoryCommit[] | undefined): Promise<Done> {
    const context = this.#context;
    const { repositories } = context.bundle;
    this.#heads = await branchHeads(context, repositories);
    if (unless && !changedFrom(unless, this.#heads)) return { result: "Unchanged" };
    const failure = await prepare(context, undefined);
    if (failure) return { failure: { ...failure, commits: this.#heads } };
    const commits = await Promise.all(
      repositories.map(async (repository) => {
        const commit = await headOf(context, checkoutOf(context, repository));
        return commit === undefined ? [] : [{ repository: repository.name, commit }];
      }),
    );
    return { result: "Built", commits: commits.flat() };
  }
}
