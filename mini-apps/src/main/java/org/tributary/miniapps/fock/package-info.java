/**
 * The Fock matrix of a self-consistent field, built from tasks that ranks draw from a shared counter. One thread in
 * each rank.
 */
package org.tributary.miniapps.fock;
