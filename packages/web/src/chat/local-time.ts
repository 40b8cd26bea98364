// Instants of an agent's form as the local times of a date and time field, and back.

/** The local time of an instant, as the field shows it; empty where the text is no instant. */
export function localTime(instant: string): string {
  const date = new Date(instant);
  if (instant === "" || Number.isNaN(date.getTime())) return "";
  const day = [padded(date.getFullYear(), 4), padded(date.getMonth() + 1), padded(date.getDate())].join("-");
  const time = [padded(date.getHours()), padded(date.getMinutes())];
  if (date.getSeconds() > 0) time.push(padded(date.getSeconds()));
  return `${day}T${time.join(":")}`;
}

/** The instant of a local time, in UTC; empty where the field has none. */
export function instantOf(local: string): string {
  const date = new Date(local);
  return local === "" || Number.isNaN(date.getTime()) ? "" : date.toISOString();
}

function padded(value: number, digits = 2): string {
  return String(value).padStart(digits, "0");
}
