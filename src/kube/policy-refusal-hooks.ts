import type { ClientHooks } from "./client-options.ts";
import { isPolicyOf } from "./policy-refusal.ts";

interface Parts {
  release: { name: string; namespace: string };
  logger: { error(facts: object, message: string): void };
  metrics: { policyRefused(policy: string): void };
}

/**
 * Logs and counts what the release's own policies refuse one of its processes: they are of another version than the process. What policies of others refuse is for
 * those whom the write was for.
 */
export function policyRefusalHooks({ release, logger, metrics }: Parts): ClientHooks {
  return {
    refusedByPolicy(refusal, { plural }) {
      if (!isPolicyOf(release, refusal)) return;
      const { policy, message } = refusal;
      metrics.policyRefused(policy);
      const refused = { policy, resource: plural, refusal: message };
      logger.error(
        refused,
        "An admission policy of this release refused a write; install policies and processes of one version",
      );
    },
  };
}
