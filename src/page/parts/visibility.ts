import { useEffect, useState } from "preact/hooks";

/** Whether the tab is visible: hidden ones keep no connection, of which a browser has six for a host. */
export function useVisibility(): boolean {
  const [isVisible, setVisible] = useState(document.visibilityState === "visible");
  useEffect(() => {
    const look = (): void => setVisible(document.visibilityState === "visible");
    document.addEventListener("visibilitychange", look);
    // It may have changed since the first look.
    look();
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return isVisible;
}
