import { Gauge, type Registry } from "prom-client";

/** State of the controllers that gauges show. */
export interface ControllerState {
  /** How many automations are paused, by reason. */
  pausedAutomations(): ReadonlyMap<string, number>;
  isLeading(): boolean;
  /** How many Runs have not ended although their deadline has long passed. */
  overdueRuns(): number;
  /** Of the class that is fullest, the share of its places that is taken: 1 = full. */
  fullestClass(): number;
  /** How often a namespace has all that maxSandboxesPerNamespace of a class gives it. */
  fullNamespaces(): number;
  /** How many sessions wait for a place in their class. */
  queuedSessions(): number;
  /** Of how many sessions the last save of their workspace failed. */
  unsavedSessions(): number;
  /** How many PrebuiltImages there are, by state. */
  prebuiltImages(): ReadonlyMap<string, number>;
  /** How many PrebuiltImages have been out of date for long. */
  staleImages(): number;
  /** How many PrebuiltImages wait for a place to be built. */
  queuedImages(): number;
  /** How many SandboxPools there are, by state. */
  sandboxPools(): ReadonlyMap<string, number>;
  /** How many sandboxes of pools are to wait, and how many do, by these two names. */
  poolSandboxes(): ReadonlyMap<string, number>;
  /** Of how many SandboxPools no session has taken a sandbox for long. */
  unclaimedPools(): number;
  /** How many Skills no session gets. */
  invalidSkills(): number;
  /** How many Repositories and Environments have more Skills than a session may. */
  tooLargeSkillSets(): number;
}

/** Defines the gauges of the controllers as a whole; `state` is read at each scrape. */
export function defineControllerMetrics(registry: Registry, state: ControllerState): void {
  const registers = [registry];
  new Gauge({
    name: "runwright_automations_paused",
    help: "Automations that start nothing, by reason: Suspended or TooManyFailures",
    labelNames: ["reason"],
    registers,
    collect() {
      for (const [reason, count] of state.pausedAutomations()) this.set({ reason }, count);
    },
  });
  new Gauge({
    name: "runwright_prebuilt_images",
    help: "PrebuiltImages by state: ready, building, failed, none, stalled, duplicate or suspended",
    labelNames: ["state"],
    registers,
    collect() {
      for (const [imageState, count] of state.prebuiltImages()) this.set({ state: imageState }, count);
    },
  });
  new Gauge({
    name: "runwright_sandbox_pools",
    help: "SandboxPools by state: full, filling, bounded, stalled or off (0 replicas)",
    labelNames: ["state"],
    registers,
    collect() {
      for (const [poolState, count] of state.sandboxPools()) this.set({ state: poolState }, count);
    },
  });
  new Gauge({
    name: "runwright_pool_sandboxes",
    help: "Sandboxes of all SandboxPools: wanted are to wait, waiting do",
    labelNames: ["state"],
    registers,
    collect() {
      for (const [sandboxState, count] of state.poolSandboxes()) this.set({ state: sandboxState }, count);
    },
  });
  const gauges: { name: string; help: string; value: () => number }[] = [
    {
      name: "runwright_controller_leading",
      help: "1 on the replica that leads, 0 on those that stand by",
      value: () => (state.isLeading() ? 1 : 0),
    },
    {
      name: "runwright_runs_overdue",
      help: "Runs that have not ended although their deadline passed over a minute ago",
      value: () => state.overdueRuns(),
    },
    {
      name: "runwright_sandbox_class_used_ratio",
      help: "Of the SandboxClass that is fullest, the share of maxSandboxes that is taken: 1 = full",
      value: () => state.fullestClass(),
    },
    {
      name: "runwright_sandbox_namespaces_full",
      help: "Namespaces with all the sandboxes that maxSandboxesPerNamespace of a SandboxClass gives their sessions, counted for each class",
      value: () => state.fullNamespaces(),
    },
    {
      name: "runwright_sessions_queued",
      help: "Sessions that wait for a place in their SandboxClass",
      value: () => state.queuedSessions(),
    },
    {
      name: "runwright_sessions_unsaved",
      help: "Sessions whose sandbox is up and whose workspace could not be saved at the last try",
      value: () => state.unsavedSessions(),
    },
    {
      name: "runwright_prebuilt_images_stale",
      help: "PrebuiltImages that for over 2 hours have been missing, were not looked at or could not be built anew",
      value: () => state.staleImages(),
    },
    {
      name: "runwright_prebuilt_images_queued",
      help: "PrebuiltImages that wait for a place to be built",
      value: () => state.queuedImages(),
    },
    {
      name: "runwright_sandbox_pools_unclaimed",
      help: "SandboxPools with sandboxes that wait, of which no session has taken one for 3 days",
      value: () => state.unclaimedPools(),
    },
    {
      name: "runwright_skills_invalid",
      help: "Skills that no session gets, as they are invalid or name a ConfigMap that is not there",
      value: () => state.invalidSkills(),
    },
    {
      name: "runwright_skill_sets_too_large",
      help: "Repositories and Environments whose Skills are more than a session may have",
      value: () => state.tooLargeSkillSets(),
    },
  ];
  for (const { name, help, value } of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value());
      },
    });
  }
}
