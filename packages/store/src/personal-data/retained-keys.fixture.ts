import { expect } from "vitest";

import type { SubjectKeys } from "./subject-keys.port.ts";

const retainedKeys = [
  "account-1",
  "retention-1-2034",
  "retention-1-2035",
  "retention-12-2034",
  "retention-2-2036",
  "retention-3-2033",
];

/** Expects the keys of texts that the law keeps, the earliest years first. @param keys new, without any key */
export async function expectRetainedKeysByYear(keys: SubjectKeys): Promise<void> {
  for (const subject of retainedKeys) await keys.obtain(subject);
  await keys.destroy("retention-3-2033");
  expect(await keys.retained({})).toEqual([
    { accountId: 1, year: 2034 },
    { accountId: 12, year: 2034 },
    { accountId: 1, year: 2035 },
    { accountId: 2, year: 2036 },
  ]);
  expect(await keys.retained({ accountId: 1 })).toEqual([
    { accountId: 1, year: 2034 },
    { accountId: 1, year: 2035 },
  ]);
  expect(await keys.retained({ throughYear: 2034 })).toHaveLength(2);
  expect(await keys.retained({ throughYear: 2035, except: [1] })).toEqual([{ accountId: 12, year: 2034 }]);
}
