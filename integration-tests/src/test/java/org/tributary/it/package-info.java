/** Whole jobs of real processes: through the launcher, and through job scripts. Every test leaves nothing behind. */
package org.tributary.it;
