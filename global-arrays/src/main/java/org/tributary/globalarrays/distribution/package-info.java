/**
 * Which rank owns which elements of an array, and where in its memory they lie: pure logic over plain numbers, with
 * no running job. Everything here is immutable and may be used by any thread.
 */
package org.tributary.globalarrays.distribution;
