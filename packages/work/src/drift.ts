import {
  assertNever,
  differenceSeverities,
  type Comparison as StoredComparison,
  identityOfDifference,
  isMendable,
  type Difference,
} from "@hostledger/core";
import { unlessUnreadable } from "@hostledger/store";
import { Mutex, Semaphore } from "@hostledger/runtime/async";

/** A difference that was found, and whether it was mended at once. */
export interface FoundDifference extends Difference {
  readonly mended: boolean;
}

export interface DriftReport {
  /** The gravest first. */
  readonly differences: readonly FoundDifference[];
  /** Sentences about what was not compared because a provider did not answer. */
  readonly unanswered: readonly string[];
  /** Sentences about what was not compared because the provider has no list. */
  readonly unlisted: readonly string[];
  /** What providers listed of a span of time. Default: nothing, because providers were asked about each thing. */
  readonly listed?: StoredComparison["listed"];
}

export interface Comparison<Thing> {
  /**
   * Returns the present differences of a resource; none while work on it is in progress.
   * @param silent is called with each provider that did not answer.
   */
  readonly look: (thing: Thing, silent: (provider: string) => void) => Promise<readonly Difference[]>;
  /** Repairs what costs no money and no name. The caller checks the result by looking again. */
  readonly mend: (thing: Thing) => Promise<void>;
}

/** Answer of a provider to the request for its list of resources; `Outcome` of the ports. */
type Listed =
  | { readonly outcome: "done"; readonly value: readonly string[] }
  | { readonly outcome: "refused" | "unknown"; readonly message: string };

export interface Holder {
  /** Name in sentences, for example `The registrar`. */
  readonly provider: string;
  /** Absent where it cannot be asked. */
  readonly list: (() => Promise<Listed>) | undefined;
  /** Looks at a holding that the books' pages did not have. @returns the difference where it is in no book at all. */
  readonly look: (name: string, silent: (provider: string) => void) => Promise<Difference | undefined>;
}

/** Maximum parallel questions, so that orders of customers are not delayed. */
const parallelLooks = 8;

export class DriftRound {
  readonly #fix: boolean;
  readonly #background: AbortSignal | undefined;
  readonly #semaphore: Semaphore;
  /** Mutex, because a DNS server on SQLite refuses the second of two simultaneous changes. */
  readonly #mends = new Mutex();
  readonly #differences: FoundDifference[] = [];
  readonly #silences = new Map<string, { count: number; readonly example: string }>();
  readonly #unanswered: string[] = [];
  readonly #unlisted: string[] = [];

  /**
   * Creates a comparison.
   * @param fix true to repair differences.
   * @param background signal that ends the comparison, if nobody waits for its result; providers are then asked
   * about one resource at a time.
   */
  constructor(fix: boolean, background?: AbortSignal) {
    this.#fix = fix;
    this.#background = background;
    this.#semaphore = new Semaphore({ permits: background === undefined ? parallelLooks : 1 });
  }

  /** True after the background signal aborted: the comparison stops and its report is incomplete. */
  get isCutOff(): boolean {
    return this.#background?.aborted === true;
  }

  /** Compares things of the books, several at a time, and mends them one after the other. */
  async compare<Thing extends string | number>(
    things: readonly Thing[],
    { look, mend }: Comparison<Thing>,
  ): Promise<void> {
    await this.#each(things, async (thing) => {
      const silent = this.#silenceAbout(String(thing));
      const before = await look(thing, silent);
      const isMended = this.#fix && before.some(({ kind }) => isMendable(kind));
      if (!isMended) {
        this.add(before);
        return;
      }
      await this.#mends.run(() => mend(thing));
      const silences: string[] = [];
      const after = await look(thing, (provider) => {
        silences.push(provider);
        silent(provider);
      });
      const left = new Set(after.map(identityOfDifference));
      for (const found of before)
        this.#differences.push({
          ...found,
          mended: silences.length === 0 && isMendable(found.kind) && !left.has(identityOfDifference(found)),
        });
    });
  }

  /** Finds resources that a provider holds and the books lack. @param known resources that were already compared. */
  async compareHoldings({ provider, list, look }: Holder, known: ReadonlySet<string>): Promise<void> {
    const listed = await list?.();
    if (listed === undefined) {
      this.#unlisted.push(
        `${provider} cannot be asked what it holds: what the books do not have is not found.`,
      );
      return;
    }
    switch (listed.outcome) {
      case "done": {
        const others = listed.value.filter((name) => !known.has(name));
        await this.#each(others, async (name) => {
          const found = await look(name, this.#silenceAbout(name));
          if (found !== undefined) this.add([found]);
        });
        return;
      }
      case "refused":
      case "unknown":
        this.#unanswered.push(`${provider} did not say what it holds: ${listed.message}`);
        return;
      default:
        assertNever(listed);
    }
  }

  add(differences: readonly Difference[]): void {
    this.#differences.push(...differences.map((found) => ({ ...found, mended: false })));
  }

  /** Adds a sentence about what could not be compared. */
  addUnanswered(sentence: string): void {
    this.#unanswered.push(sentence);
  }

  report(): DriftReport {
    const silences = [...this.#silences].map(([provider, { count, example }]) => {
      const others = count === 1 ? "" : ` and ${String(count - 1)} others`;
      return `${provider} did not answer about ${example}${others}.`;
    });
    return {
      differences: this.#differences.toSorted(byGravity),
      unanswered: [...this.#unanswered, ...silences],
      unlisted: this.#unlisted,
    };
  }

  async #each<Thing>(things: readonly Thing[], work: (thing: Thing) => Promise<void>): Promise<void> {
    const lookAt = async (thing: Thing): Promise<void> => {
      if (this.isCutOff) return;
      await unlessUnreadable(
        () => work(thing),
        ({ message }) => {
          const why = `because an event cannot be read: ${message}.`;
          this.#unanswered.push(`${String(thing)} was not compared, ${why}`);
        },
      );
    };
    await Promise.all(things.map((thing) => this.#semaphore.run(() => lookAt(thing))));
  }

  #silenceAbout(example: string): (provider: string) => void {
    return (provider) => {
      const silence = this.#silences.get(provider);
      if (silence === undefined) this.#silences.set(provider, { count: 1, example });
      else silence.count += 1;
    };
  }
}

function byGravity(one: Difference, other: Difference): number {
  const gravity = differenceSeverities.indexOf(one.severity) - differenceSeverities.indexOf(other.severity);
  if (gravity !== 0) return gravity;
  return identityOfDifference(one) < identityOfDifference(other) ? -1 : 1;
}
