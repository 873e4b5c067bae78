import { strideOf, type Layout, type PlanSettings } from './page-plan.ts';

/** So many more pages are borne for an even share. */
const mostMore = 1.25;
/** A list may have grown by so much since the last one without a page more. */
const growth = 1.01;

/**
 * Pages of equal length, so many that all connections are done at about the same time: eleven full pages on four
 * connections take as long as twelve. The layout as it is if that would take many more pages, or too many.
 */
export function evenLayout(
  layout: Layout,
  settings: PlanSettings & { readonly concurrency: number },
): Layout {
  const { fullPage, total } = layout;
  const { concurrency, pageLimit } = settings;
  const stride = strideOf(fullPage, settings);
  const needed = Math.ceil(total / stride);
  const pages = Math.ceil(needed / concurrency) * concurrency;
  const evenPage = Math.ceil((total * growth) / pages) + (fullPage - stride);
  const isBorne = pages <= needed * mostMore && pages <= pageLimit;
  return concurrency > 1 && isBorne && evenPage < fullPage ? { fullPage: evenPage, total } : layout;
}
