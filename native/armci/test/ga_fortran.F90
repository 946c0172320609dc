! Debian's libga on this library, from Fortran: arrays of three types, patches, a shared counter, a product, groups.
program ga_fortran
  use mpi
  implicit none
#include "mafdecls.fh"
#include "global.fh"
  integer, parameter :: n = 53
  integer(4) :: ierr ! MPI has integers of its own size
  integer :: g_a, g_b, g_c, g_n, me, ranks, i, j, row, ld
  double precision :: a(n, n), c(n, n), total, corner(1, 1)
  integer :: task, counted(1)
  logical :: ok

  call mpi_init(ierr)
  call ga_initialize()
  me = ga_nodeid()
  ranks = ga_nnodes()
  ok = ma_init(MT_DBL, 100000, 100000)
  call require(ok, 'ma_init')

  ok = ga_create(MT_DBL, n, n, 'a', 0, 0, g_a)
  call require(ok, 'ga_create')
  ok = ga_duplicate(g_a, g_b, 'b')
  ok = ok .and. ga_duplicate(g_a, g_c, 'c')
  call require(ok, 'ga_duplicate')
  ok = ga_create(MT_INT, 1, 1, 'counter', 0, 0, g_n)
  call require(ok, 'ga_create integer')
  call ga_zero(g_n)
  ld = n

  ! Columns are dealt out by a counter.
  task = int(ga_read_inc(g_n, 1, 1, 1))
  do while (task < n)
    do i = 1, n
      a(i, 1) = mod(i * (task + 1), 5) - 2
    end do
    call ga_put(g_a, 1, n, task + 1, task + 1, a(:, 1:1), ld)
    task = int(ga_read_inc(g_n, 1, 1, 1))
  end do
  call ga_sync()
  call ga_get(g_a, 1, n, 1, n, a, ld)
  do j = 1, n
    do i = 1, n
      call require(a(i, j) == mod(i * j, 5) - 2, 'ga_put')
    end do
  end do

  call ga_transpose(g_a, g_b)
  call ga_dgemm('n', 'n', n, n, n, 1d0, g_a, g_b, 0d0, g_c)
  call ga_get(g_c, 1, n, 1, n, c, ld)
  do row = 1, n, 5
    total = sum(a(row, :) * a(3, :))
    call require(c(row, 3) == total, 'ga_dgemm')
  end do
  call ga_sync()
  call ga_acc(g_c, 1, n, 1, n, a, ld, 1d0)
  call ga_sync()
  call ga_get(g_c, 1, 1, 1, 1, corner, ld)
  call require(corner(1, 1) == c(1, 1) + ranks * a(1, 1), 'ga_acc')
  counted(1) = 1
  call ga_igop(1, counted, 1, '+')
  call require(counted(1) == ranks, 'ga_igop')
  call ga_sync()

  ok = ga_destroy(g_a)
  ok = ga_destroy(g_b) .and. ok
  ok = ga_destroy(g_c) .and. ok
  ok = ga_destroy(g_n) .and. ok
  call require(ok, 'ga_destroy')
  if (me == 0) print '(a)', 'all well'
  call ga_terminate()
  call mpi_finalize(ierr)
contains
  subroutine require(condition, what)
    logical, intent(in) :: condition
    character(*), intent(in) :: what
    if (.not. condition) call ga_error('not so: ' // what, 1)
  end subroutine
end program
