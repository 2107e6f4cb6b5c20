import { cpSync } from "node:fs";
import { basename } from "node:path";

import type { EventStore } from "@hostledger/store";
import type { PartDecorators } from "@hostledger/host";
import type { Registrar } from "@hostledger/providers";
import { temporaryDirectory } from "@hostledger/runtime/testing";

/** The data directory as a power cut would have left it at one moment. */
export interface Snapshot {
  /** The next or last step at this moment. */
  readonly moment: string;
  readonly data: string;
  remove(): void;
}

/** Copies an instance's data at every moment after which the disk has changed. */
export interface Photographer {
  readonly decorators: PartDecorators;
  /** From now on every moment is kept. */
  begin(): void;
  /** @returns the moments so far, and keeps no more. */
  end(): readonly Snapshot[];
}

/**
 * Copies a data directory as a power cut would leave it. The locks are left out: they are the dead process's, and opening them
 * would end them.
 */
export function copyOfData(data: string): { readonly path: string; remove(): void } {
  const copy = temporaryDirectory();
  cpSync(data, copy.path, {
    recursive: true,
    filter: (file) => !/^(lock\.sqlite|instance\.json)/.test(basename(file)),
  });
  return copy;
}

/** Members of a provider's port that answer by themselves, at once. */
const asksNobody: ReadonlySet<string | symbol> = new Set<keyof Registrar>(["needsRegistrant"]);

/**
 * Wraps an instance's parts so that its data directory is copied before the first and after each append and provider
 * call, while the instance waits: each copy is the disk after a power cut at that moment. One undisturbed run thus
 * gives all crashes without killing a process.
 * @param data of the instance.
 */
export function photographer(data: string): Photographer {
  const snapshots: Snapshot[] = [];
  let isOn = false;

  function take(moment: string): void {
    // Between the end of a step and the next beginning, nothing is stored.
    if (!isOn || (snapshots.length > 0 && moment.startsWith("before "))) return;
    const { path, remove } = copyOfData(data);
    snapshots.push({ moment, data: path, remove });
  }

  /** Wraps every method of a provider; its other members stay unchanged. */
  function watched<Provider extends object>(provider: Provider): Provider {
    return new Proxy(provider, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member !== "function" || asksNobody.has(name)) return member;
        return async (...parameters: unknown[]): Promise<unknown> => {
          take(`before ${String(name)}`);
          const answer: unknown = await Reflect.apply(member, target, parameters);
          take(`after ${String(name)}`);
          return answer;
        };
      },
    });
  }

  return {
    decorators: {
      store: (store): EventStore => ({
        async append(stream, expected, events) {
          const types = events.map(({ type }) => type.replace(/\.v\d+$/, "")).join(", ");
          take(`before append ${types}`);
          const stored = await store.append(stream, expected, events);
          take(`after append ${types}`);
          return stored;
        },
        read: (stream, options) => store.read(stream, options),
        subscribe: (options) => store.subscribe(options),
        lastPosition: () => store.lastPosition(),
        close: () => store.close(),
      }),
      registrar: watched,
      dns: watched,
      compute: watched,
    },
    begin() {
      isOn = true;
    },
    end() {
      isOn = false;
      return snapshots;
    },
  };
}
