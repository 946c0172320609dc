/**
 * Checks of a machine before a job runs there. A {@link org.tributary.launcher.doctor.Check} reads the files of a
 * {@link org.tributary.launcher.doctor.Machine} and gives findings; nothing is changed. A launcher can collect the
 * findings of several machines as JSON. One thread.
 */
package org.tributary.launcher.doctor;
