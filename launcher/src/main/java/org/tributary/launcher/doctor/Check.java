package org.tributary.launcher.doctor;

import java.util.List;

/** Looks at one side of a machine. */
public interface Check {
    List<Finding> look(Machine machine);
}
