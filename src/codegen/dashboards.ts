import type { Dashboard } from "./dashboard.ts";
import { gatewayPanels } from "./gateway-dashboard.ts";
import { overviewPanels } from "./overview-dashboard.ts";

/** All dashboards; `uid` is the file's name too. */
export const dashboards: readonly Dashboard[] = [
  { uid: "runwright", title: "Runwright", panels: overviewPanels },
  { uid: "runwright-gateway", title: "Runwright gateway", panels: gatewayPanels },
];
