import type { JSX } from "preact";
import { useLocation } from "preact-iso";
import { api, type Automation, type AutomationRights, bodyOf } from "../api.ts";
import { ActionProblem, useAction } from "../parts/action.tsx";

/** Trigger, Pause and Resume, as far as the person may. */
export function AutomationActions({
  automation,
  rights,
  onDone,
}: {
  automation: Automation;
  rights: AutomationRights;
  onDone: () => void;
}): JSX.Element {
  const { isBusy, problem, run } = useAction();
  const { route } = useLocation();
  const { id, namespace, enabled, consecutiveFailures } = automation;
  const asked = { params: { path: { id } } };
  const trigger = async (): Promise<void> => {
    const { runs } = await bodyOf(api.POST("/automations/{id}/trigger", { ...asked, body: { whilePaused: !enabled } }));
    const first = runs[0];
    if (first) route(`/sessions/${namespace}.${first.id}`);
    else onDone();
  };
  const canResume = rights.resume && (!enabled || consecutiveFailures > 0);
  return (
    <div class="actions">
      {rights.trigger && (
        <button type="button" class={enabled ? "primary" : undefined} disabled={isBusy} onClick={() => run(trigger)}>
          {enabled ? "Trigger" : "Trigger while paused"}
        </button>
      )}
      {rights.pause && enabled && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => run(() => bodyOf(api.POST("/automations/{id}/pause", asked)).then(onDone))}
        >
          Pause
        </button>
      )}
      {canResume && (
        <button
          type="button"
          disabled={isBusy}
          onClick={() => run(() => bodyOf(api.POST("/automations/{id}/resume", asked)).then(onDone))}
        >
          {enabled ? "Reset failures" : "Resume"}
        </button>
      )}
      <ActionProblem problem={problem} />
    </div>
  );
}
