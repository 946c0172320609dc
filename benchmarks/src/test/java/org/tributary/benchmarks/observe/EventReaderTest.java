package org.tributary.benchmarks.observe;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class EventReaderTest {
    @Test
    void shouldSayWhenThePageHasEndedBeforeItsJob() throws Exception {
        EventReader reader;
        try (EventPage page = new EventPage("event: history\n")) {
            reader = new EventReader(page.url());
            reader.check();
        }
        // The test fails by its deadline if the reader does not notice.
        while (isReading(reader)) {
            Thread.sleep(1);
        }
        assertTrue(assertThrows(IOException.class, reader::check).getMessage().contains("not read to the end"));
    }

    @Test
    void shouldRefuseAPageWhenItTellsNoEvents() throws Exception {
        try (EventPage page = new EventPage("more than 16 look at this job already\n")) {
            assertTrue(assertThrows(IOException.class, () -> new EventReader(page.url())).getMessage()
                .contains("more than 16"));
        }
    }

    private static boolean isReading(EventReader reader) {
        try {
            reader.check();
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
