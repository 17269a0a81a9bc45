import { describe, expect, it } from "vitest";

import { samplePayload } from "./payload.ts";

describe("samplePayload", () => {
  it("is the recorded body with an incident and nothing else", async () => {
    const { body, incident } = await samplePayload();
    expect(body).toMatchObject({ version: "4", status: "firing", commonAnnotations: { incident } });
    expect(body.commonLabels).toMatchObject({ service: "checkout", severity: "critical" });
    expect(body).not.toHaveProperty("idempotencyKey");
  });

  it("has another incident and another key each time", async () => {
    const samples = await Promise.all(Array.from({ length: 20 }, () => samplePayload({ keyed: true })));
    expect(new Set(samples.map(({ incident }) => incident)).size).toBeGreaterThan(10);
    expect(new Set(samples.map(({ body }) => body.idempotencyKey)).size).toBe(20);
  });

  it("fits into what an agent is shown, with the incident in it", async () => {
    const { body, incident } = await samplePayload();
    const shown = JSON.stringify(body, undefined, 2);
    expect(shown.length).toBeLessThanOrEqual(4096);
    expect(shown).toContain(`"incident": "${incident}"`);
  });

  it("changes the severity alone when asked to", async () => {
    const { body } = await samplePayload({ severity: "warning" });
    expect(body.commonLabels).toMatchObject({ service: "checkout", severity: "warning" });
  });
});
