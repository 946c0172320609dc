/**
 * RandomAccess of the HPC Challenge: giga-updates per second of random words of a distributed table. One thread in each
 * rank.
 */
package org.tributary.miniapps.randomaccess;
