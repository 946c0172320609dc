package org.tributary.miniapps;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On an option of type {@code Path}: it names a file that rank 0 makes on its host. {@link MiniApp} refuses one that
 * cannot be made before the program does anything. The launcher does not, for its host may not have that file system.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface OutputFile {
    /** Whether a new file takes the place of one that is there, as opposed to being written over. */
    boolean isReplaced() default false;
}
