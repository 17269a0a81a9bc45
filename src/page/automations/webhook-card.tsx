import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { api, type Automation, bodyOf } from "../api.ts";
import { Copy } from "../parts/copy.tsx";
import { KeyDialog } from "./key-dialog.tsx";

/** Where deliveries are posted, and the key with which. */
export function WebhookCard({
  automation,
  canRegenerate,
}: {
  automation: Automation;
  canRegenerate: boolean;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const { id } = automation;
  const url = automation.webhookUrl ?? "";
  return (
    <section class="card">
      <h2>Webhook</h2>
      <p class="copied">
        <code>POST {URL.canParse(url) ? new URL(url).pathname : url}</code>
        <Copy text={url}>Copy URL</Copy>
        {automation.filters && <Copy text={() => curlOf(id)}>Copy curl</Copy>}
        {canRegenerate && (
          <button type="button" class="small" onClick={() => setOpen(true)}>
            Regenerate key…
          </button>
        )}
      </p>
      {automation.filters && (
        <p class="hint">
          The copied command takes the key from a variable of your shell. Its body matches the filters.
        </p>
      )}
      {isOpen && <KeyDialog id={id} curl={(key) => curlOf(id, key)} onClose={() => setOpen(false)} />}
    </section>
  );
}

/** A ready request, another event each time. With a key it sets the variable that it takes the key from. */
async function curlOf(id: string, key?: string): Promise<string> {
  const { curl, variable } = await bodyOf(api.GET("/automations/{id}/example", { params: { path: { id } } }));
  return key === undefined ? curl : `${variable}='${key}'\n${curl}`;
}
