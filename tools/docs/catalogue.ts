import type { FamilyHead } from '../../src/metrics/family.ts';
import { cloudFamilies } from '../../src/metrics/page.ts';
import { selfFamilies } from '../../src/metrics/self.ts';

/** Every family that the exporter has, from the code that exports it, in the order of /metrics. */
export const documentedFamilies: readonly FamilyHead[] = [...cloudFamilies, ...selfFamilies];
