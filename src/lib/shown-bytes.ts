/** Such as `1.5 GiB`. */
export function shownBytes(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"];
  const power = Math.min(Math.max(0, Math.floor(Math.log2(Math.max(1, bytes)) / 10)), units.length - 1);
  const value = bytes / 1_024 ** power;
  return `${Number(value.toFixed(power === 0 ? 0 : 1))} ${units[power] ?? ""}`;
}
