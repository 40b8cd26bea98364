// Amounts in words: a number and its noun agree (C890).

export function count(amount: number, noun: string, nouns = `${noun}s`): string {
  return `${amount} ${amount === 1 ? noun : nouns}`;
}
