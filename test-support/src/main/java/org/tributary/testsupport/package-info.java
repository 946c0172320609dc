/**
 * Makes a green test fail when one of its servers or ranks logged an error: in this process or in another one that the
 * test has started. An extension of JUnit and a hook of jqwik, which all modules find on the class path of their tests,
 * look after each test; a test says which errors it provokes. Beside them are checks that tests of several modules
 * share. Any thread.
 */
package org.tributary.testsupport;
