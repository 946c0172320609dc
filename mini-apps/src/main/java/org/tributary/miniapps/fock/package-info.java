/** The Fock matrix of a self-consistent field, built from tasks that ranks draw from a shared counter. */
package org.tributary.miniapps.fock;
