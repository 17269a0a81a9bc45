/** Whether a `Host` header names this machine itself, and no site whose name resolves to it. */
export function isLoopbackHost(host: string | undefined): boolean {
  return /^(localhost|127\.0\.0\.1|\[::1\])(:[0-9]+)?$/i.test(host ?? "");
}
