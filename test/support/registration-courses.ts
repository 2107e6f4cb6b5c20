import type { Course } from "./crash-course.ts";
import { isRegistrarEpp } from "./tried-registrar.ts";

const ownNameservers = ["ns1.customer.example", "ns2.customer.example"];
const rich = { balanceCents: 10_000n } as const;

/**
 * Every course that a registration can take. Two of them share moments until they part, and a loop passes the same ones again
 * and again; a moment is tried once for each set of things that came before it (`untriedMoments`).
 *
 * Left out: `offline`, which to the process is `refused`; `slow`, which takes longer and no other way; `taken`, which ends
 * before anything is written; labels together, such as `lost` with nameservers of one's own; and, where two registrations
 * meet in one balance, the reservation of ids, which could be for either.
 */
export const courses: readonly Course[] = [
  { name: "plain.com", answer: "201", ...rich },
  { name: "refused.com", answer: "500 registrar_failed", ...rich },
  { name: "lost.com", answer: "201", ...rich },
  { name: "timeout.com", answer: "500 registrar_failed", ...rich },
  { name: "limbo.com", answer: "500 registrar_failed", ...rich },
  { name: "own.com", nameservers: ownNameservers, answer: "201", ...rich },
  { name: "badns.com", nameservers: ownNameservers, answer: "201", ...rich },
  { name: "nozone.com", answer: "201", ...rich },
  ...(isRegistrarEpp
    ? [
        // Cut before and after the registry's commit.
        { name: "cutbefore.com", answer: "500 registrar_failed", ...rich },
        { name: "cutafter.com", answer: "201", ...rich },
      ]
    : []),
  {
    name: "poor.com",
    losesMoneyTo: "first.com",
    answer: "400 insufficient_balance",
    balanceCents: 1_190n,
  },
];

/**
 * Chooses the crash moments of a course.
 * @param tried places of earlier courses; this course's are added.
 * @returns indexes of the moments that no earlier course had in the same place.
 */
export function untriedMoments(
  { name, nameservers }: Course,
  moments: readonly string[],
  tried: Set<string>,
): readonly number[] {
  return moments.flatMap((moment, index) => {
    if (index > 0 && moment.startsWith("before ")) return [];
    const passed = [...new Set(moments.slice(0, index))];
    // The moments contain neither a silent registrar's action nor the order itself.
    const isUnanswered =
      passed.includes("before register") && !passed.some((one) => one.startsWith("after register"));
    const key = JSON.stringify([nameservers ?? null, isUnanswered ? name : null, passed, moment]);
    if (tried.has(key)) return [];
    tried.add(key);
    return [index];
  });
}
