package org.tributary.launcher.job;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class OpenFilesTest {
    @Test
    void shouldSayBothNumbersWhenTooFewFilesMayBeOpen() {
        assertEquals("a launcher of 6 servers and ranks needs 91 open files and may open 70; raise the number of files"
            + " that a process may open (ulimit -n)", assertThrows(IOException.class,
            () -> OpenFiles.require(91, 70, "a launcher of 6 servers and ranks")).getMessage());
    }

    @Test
    void shouldNotComplainWhenJustEnoughFilesMayBeOpen() {
        assertDoesNotThrow(() -> OpenFiles.require(70, 70, "a launcher"));
    }

    @Test
    void shouldComplainWhenMoreChildrenThanAnyLimit() {
        IOException refused = assertThrows(IOException.class, () -> OpenFiles.requireForChildren(Integer.MAX_VALUE));
        assertEquals(true, refused.getMessage().startsWith("a launcher of 2147483647 "), refused.getMessage());
    }
}
