/** What a state means to the reader. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'calm';
